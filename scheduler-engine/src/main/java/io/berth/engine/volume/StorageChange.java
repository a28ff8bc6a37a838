package io.berth.engine.volume;

import io.berth.engine.model.StorageObject;
import java.util.Optional;

/**
 * A change of an object, or of what is assumed about it.
 *
 * @param storageClass the class of a claim, volume or capacity, or the name of a class; otherwise
 *     empty
 * @param object the current object, and in a second change the previous one; absent if only an
 *     assumption about a claim has changed
 */
public record StorageChange(
    String kind,
    String namespace,
    String name,
    String storageClass,
    Optional<StorageObject> object) {}
