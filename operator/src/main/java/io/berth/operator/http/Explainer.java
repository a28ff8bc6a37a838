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
}
