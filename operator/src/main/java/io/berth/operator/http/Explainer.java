package io.berth.operator.http;

import io.berth.webhook.http.HttpAnswer;

/** Answers why a pod is where it is, or is not. */
@FunctionalInterface
public interface Explainer {

  /**
   * Says why a pod is where it is.
   *
   * @param json whether JSON is asked for rather than text
   * @param fromReplica whether another replica passes the question on: it is not passed on again
   */
  HttpAnswer explain(String namespace, String pod, boolean json, boolean fromReplica);

  /** Shows the GPU cards of a node with the pods that hold them; the arguments are as above. */
  default HttpAnswer cards(String node, boolean json, boolean fromReplica) {
    return HttpAnswer.text(404, "node " + node + " has no GPU cards that are described");
  }
}
