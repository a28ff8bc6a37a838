package io.berth.operator.command;

/** The format of log lines. */
public enum LogFormat {
  /** Text on a terminal, JSON elsewhere. */
  AUTO,
  /** One JSON object a line, for a cluster's log collection. */
  JSON,
  /** For people. */
  TEXT
}
