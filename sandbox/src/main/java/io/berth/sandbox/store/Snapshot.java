package io.berth.sandbox.store;

import java.util.List;

/**
 * Objects of one bucket as they were at one moment.
 *
 * @param objects in order of their keys
 * @param resourceVersion the store's version at that moment
 */
public record Snapshot(List<StoredObject> objects, long resourceVersion) {}
