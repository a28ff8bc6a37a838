package io.berth.engine.volume;

/**
 * A change of an object, or of what is assumed about it.
 *
 * @param storageClass of a claim, volume or capacity; the name of a class; else empty
 */
public record StorageChange(String kind, String namespace, String name, String storageClass) {}
