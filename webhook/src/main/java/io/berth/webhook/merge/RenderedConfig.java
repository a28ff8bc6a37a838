package io.berth.webhook.merge;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * The rendered fields of one config for one pod.
 *
 * @param source the kind and name of the config for messages, such as {@code NodeSchedulerConfig
 *     resource-pool-example}
 * @param fields an object with any of {@code nodeAffinity}, {@code podAffinity}, {@code
 *     podAntiAffinity}, {@code tolerations} and {@code topologySpreadConstraints}, each as in a
 *     pod's spec or affinity
 */
public record RenderedConfig(String source, JsonNode fields) {}
