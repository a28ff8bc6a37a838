package io.berth.sandbox.patch;

import java.time.Instant;

/**
 * The writer of fields, as managedFields records it.
 *
 * @param manager the fieldManager parameter, or the client's name
 * @param apiVersion the version that the client wrote
 * @param subresource empty, or for instance {@code status}
 * @param time now
 */
public record FieldWriter(String manager, String apiVersion, String subresource, Instant time) {}
