package io.berth.operator.feed;

/**
 * A failed attempt to list or watch a resource.
 *
 * @param verb {@code list} or {@code watch}
 * @param resource the plural with its group, such as {@code replicasets.apps}
 * @param reason the HTTP status, {@code no_answer} or {@code silent}: a metric label
 * @param message the API server's message, or a description of what happened instead of a response
 */
public record WatchFailure(String verb, String resource, String reason, String message) {

  static final String NOT_FOUND = "404";
  static final String NO_ANSWER = "no_answer";
  static final String SILENT = "silent";

  /** The failure as a predicate, to follow a subject. */
  public String text() {
    return "cannot " + verb + " " + resource + ": " + message;
  }

  boolean sameProblem(WatchFailure other) {
    return verb.equals(other.verb) && reason.equals(other.reason);
  }
}
