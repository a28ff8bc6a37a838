package io.berth.operator.api;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.Serial;

/** A write that was not sent, because the term as leader in which it was decided is over. */
public final class TermOverException extends KubernetesClientException {

  @Serial private static final long serialVersionUID = 1;

  TermOverException() {
    super("not sent: this replica does not lead any more");
  }
}
