package io.berth.sandbox.resource;

/**
 * A built-in resource with the class its schema comes from.
 *
 * @param type the resource
 * @param model the fabric8 model class of its objects
 */
public record BuiltIn(ResourceType type, Class<?> model) {}
