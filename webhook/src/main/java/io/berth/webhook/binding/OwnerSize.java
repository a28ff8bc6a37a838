package io.berth.webhook.binding;

import java.util.OptionalInt;

/**
 * The workload that a pod belongs to, as its group.
 *
 * @param name names the workload among all that have been in its namespace
 * @param isGroup whether the pods of its kind are always placed together; pods of other kinds are
 *     if they declare their number
 * @param pods the number of pods that it runs at a time, from 1; empty where its kind, or the
 *     object, does not say
 */
public record OwnerSize(String name, boolean isGroup, OptionalInt pods) {}
