package io.berth.sandbox.patch;

import java.time.Instant;

/**
 * The author of a write, as recorded in managedFields.
 *
 * @param manager the fieldManager parameter, or the client name from its User-Agent
 * @param apiVersion the API version that the client used
 * @param subresource the subresource, for example {@code status}; empty for the object itself
 * @param time the time of the write
 */
public record FieldWriter(String manager, String apiVersion, String subresource, Instant time) {}
