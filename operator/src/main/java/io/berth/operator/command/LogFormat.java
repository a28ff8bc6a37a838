package io.berth.operator.command;

/** The format of log lines. */
public enum LogFormat {
  /** Text on a terminal, JSON elsewhere. */
  AUTO,
  /** One JSON object per line, for log collection in a cluster. */
  JSON,
  /** Text for people. */
  TEXT
}
