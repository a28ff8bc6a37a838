package io.berth.engine.model;

/** The placed members of a group that count towards its minimum. The names are Koordinator's. */
public enum MatchPolicy {
  /**
   * Only members that are placed together: each start needs the whole minimum, regardless of
   * running members.
   */
  ONLY_WAITING,
  /** All placed members. A group that falls below its minimum places its replacements together. */
  WAITING_AND_RUNNING,
  /**
   * All placed members, until the minimum has been bound once. From then on, every member is
   * scheduled individually, even if the group falls below its minimum.
   */
  ONCE_SATISFIED
}
