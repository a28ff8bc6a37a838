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

  /**
   * Returns the latest decisions as JSON: {@code items}, each as of {@link #explain}, and {@code
   * remaining}, the number of those that come after them.
   *
   * @param namespace the namespace of the pods; empty for all
   * @param after the namespace and name after which the page begins; empty for the first page
   * @param limit the maximum number of items
   */
  default HttpAnswer decisions(String namespace, String after, int limit, boolean fromReplica) {
    return HttpAnswer.text(404, "no decisions are recorded here");
  }
}
