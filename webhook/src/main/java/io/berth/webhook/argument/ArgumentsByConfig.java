package io.berth.webhook.argument;

import java.util.Map;

/**
 * The arguments of an annotation, by config.
 *
 * @param byConfig one entry for every config that the pod names; the tree of a config without
 *     arguments is missing or empty
 */
public record ArgumentsByConfig(Map<String, GivenArguments> byConfig) implements ParsedArguments {}
