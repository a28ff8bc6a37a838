package io.berth.webhook.binding;

import java.util.OptionalInt;

/**
 * The workload of a pod, with the size of its group.
 *
 * @param name a name that no other workload of the namespace has or had
 * @param isGroup whether pods of this kind of workload always form a group; pods of other kinds do
 *     so only if they declare the group's size
 * @param pods the number of pods that it runs at a time, at least 1; empty if neither its kind nor
 *     the object defines it
 */
public record OwnerSize(String name, boolean isGroup, OptionalInt pods) {}
