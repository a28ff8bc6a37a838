package io.berth.engine.volume;

import io.berth.engine.model.StorageObject;
import java.util.Optional;

/**
 * A change of an object, or of what is assumed about it.
 *
 * @param storageClass of a claim, volume or capacity; the name of a class; else empty
 * @param object the object as it is or, for another change, as it was before; absent where only
 *     what is assumed about a claim has changed
 */
public record StorageChange(
    String kind,
    String namespace,
    String name,
    String storageClass,
    Optional<StorageObject> object) {}
