package io.berth.webhook.argument;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * Unchecked arguments for one config.
 *
 * @param config the kind and name of the config for messages, such as {@code NodeSchedulerConfig
 *     resource-pool-example}
 * @param place the path of the arguments, such as {@code
 *     metadata.annotations[scb.sched.cloud.ctrip.com/nsc-args]} or {@code
 *     spec.nodeConfigs[0].args}; problems are reported at this path or below it
 * @param tree an object whose fields are the arguments; a missing or null node counts as an empty
 *     object
 */
public record GivenArguments(String config, String place, JsonNode tree) {}
