package io.berth.webhook.argument;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * Arguments for one config as written, not yet checked.
 *
 * @param config the config they are for, as it is spoken of: {@code NodeSchedulerConfig
 *     resource-pool-example}
 * @param place where they are written: {@code annotation scb.sched.cloud.ctrip.com/nsc-args} or
 *     {@code spec.nodeConfigs[0].args}; problems are reported at places below it
 * @param tree an object whose fields are the arguments; missing or null is taken for an empty one
 */
public record GivenArguments(String config, String place, JsonNode tree) {}
