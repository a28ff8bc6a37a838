package io.berth.webhook.argument;

import java.util.Map;

/**
 * The arguments of an annotation, taken apart by config.
 *
 * @param byConfig one entry for every config that was named, in that order; a config that nothing
 *     is given for has none
 */
public record ArgumentsByConfig(Map<String, GivenArguments> byConfig) implements ParsedArguments {}
