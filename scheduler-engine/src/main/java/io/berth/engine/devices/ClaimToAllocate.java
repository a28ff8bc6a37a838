package io.berth.engine.devices;

/**
 * A claim without devices.
 *
 * @param fullName its namespace and name, for messages
 * @param name its name, for messages
 */
record ClaimToAllocate(String fullName, String name, ClaimSpec spec) {}
