package io.berth.engine.model;

/** The placed members of a group that count towards its minimum. Names are Koordinator's. */
public enum MatchPolicy {
  /**
   * Only those that are placed together: each start needs the whole minimum, whatever runs already.
   */
  ONLY_WAITING,
  /** All of them. A group that falls below its minimum places its replacements together. */
  WAITING_AND_RUNNING,
  /**
   * All of them, until the minimum has been bound once. From then on every member is an ordinary
   * pod, also if the group falls below its minimum.
   */
  ONCE_SATISFIED
}
