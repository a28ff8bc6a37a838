package io.berth.operator.http;

import io.berth.serving.http.HttpAnswer;

/** Explains the scheduling of pods. */
@FunctionalInterface
public interface Explainer {

  /**
   * Explains why a pod was placed on its node, or why it is pending.
   *
   * @param json whether to respond with JSON instead of text
   * @param fromReplica whether another replica forwarded the request, in which case it is not
   *     forwarded again
   */
  HttpAnswer explain(String namespace, String pod, boolean json, boolean fromReplica);

  /**
   * Returns the GPU cards of a node with the pods that hold them; the parameters are as for {@link
   * #explain}.
   */
  default HttpAnswer cards(String node, boolean json, boolean fromReplica) {
    return HttpAnswer.text(404, "node " + node + " has no GPU cards that are described");
  }

  /** Returns the inside of the leader's engine; the parameters are as for {@link #explain}. */
  default HttpAnswer engine(boolean json, boolean fromReplica) {
    return HttpAnswer.text(404, "no engine runs here");
  }

  /**
   * Returns the latest decisions as JSON: {@code items}, each as of {@link #explain}, {@code
   * remaining}, the number of those that come after them, and the {@code version} of the list.
   */
  default HttpAnswer decisions(DecisionsRequest asked, boolean fromReplica) {
    return HttpAnswer.text(404, "no decisions are recorded here");
  }

  /** Returns the published objects of a resource as JSON, from the leader. */
  default HttpAnswer objects(String resource, boolean fromReplica) {
    return HttpAnswer.text(404, "no " + resource + " are published here");
  }

  /**
   * Returns the next changes of a resource, from the leader. The first line is JSON with the {@code
   * position} after them, whether there are {@code more}, and whether they are {@code initial}: the
   * objects that exist. Every other line is a change, with its {@code type}, {@code version}, and
   * {@code object}. Status 410 says that the position is not known any more.
   */
  default HttpAnswer changes(ChangesRequest asked, boolean fromReplica) {
    return HttpAnswer.text(404, asked.resource() + " cannot be watched here");
  }

  /** Publishes the objects of a resource for the time in which this replica leads. */
  default void publish(String resource, PublishedObjects objects) {}
}
