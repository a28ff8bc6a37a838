package io.berth.operator.query;

import io.berth.serving.http.HttpAnswer;
import io.berth.serving.http.RequestHead;
import java.util.Optional;

/** The replicas that may answer a review instead of this one. */
@FunctionalInterface
interface OtherReplicas {
  /** No other replica answers. */
  OtherReplicas NONE = (head, body) -> Optional.empty();

  /** Returns the response of another replica; empty if this replica is to answer. */
  Optional<HttpAnswer> answer(RequestHead head, byte[] body);
}
