package io.berth.operator.trace;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A sampled W3C traceparent of version 00: the trace of a pod, and the span of its review.
 *
 * @param traceId 32 hex digits
 * @param spanId 16 hex digits
 */
record TraceParent(String traceId, String spanId) {

  private static final Pattern FORMAT =
      Pattern.compile("00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-01");

  /** Parses an annotation; returns empty if it has another format or is not sampled. */
  static Optional<TraceParent> parse(String text) {
    Matcher matcher = FORMAT.matcher(text);
    return matcher.matches()
        ? Optional.of(new TraceParent(matcher.group(1), matcher.group(2)))
        : Optional.empty();
  }

  /** Returns the value of the annotation. */
  String text() {
    return "00-" + traceId + "-" + spanId + "-01";
  }
}
