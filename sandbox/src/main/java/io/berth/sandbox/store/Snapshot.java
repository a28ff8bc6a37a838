package io.berth.sandbox.store;

import java.util.List;

/**
 * The objects of a bucket at a point in time.
 *
 * @param objects the objects in the order of their keys
 * @param resourceVersion the store's version at that time
 */
public record Snapshot(List<StoredObject> objects, long resourceVersion) {}
