package io.berth.operator.extender;

import java.io.Serial;

/** Thrown if an extender gave no usable response; the message says what to do about it. */
final class ExtenderException extends Exception {

  /** The kind of failure. */
  enum Reason {
    TIMEOUT("timeout", "check that it runs, raise its httpTimeout, or mark it ignorable"),
    UNREACHABLE("unreachable", "check its urlPrefix and tlsConfig, and that it runs"),
    STATUS("status", "check its log, its urlPrefix and its verbs"),
    ANSWER("answer", "make it follow kube-scheduler's extender protocol (v1)"),
    ERROR("error", "check its log");

    private final String label;
    private final String remedy;

    Reason(String label, String remedy) {
      this.label = label;
      this.remedy = remedy;
    }

    /** Returns the value of the metrics label. */
    String label() {
      return label;
    }
  }

  @Serial private static final long serialVersionUID = 1;

  private final Reason reason;

  /**
   * @param what the failure, worded to follow the extender's name
   */
  ExtenderException(Reason reason, String what) {
    super(what, null, false, false);
    this.reason = reason;
  }

  Reason reason() {
    return reason;
  }

  /** Returns the advice for the user. */
  String remedy() {
    return reason.remedy;
  }
}
