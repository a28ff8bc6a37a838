package io.berth.operator.api;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.Serial;

/**
 * Thrown for a write that was not sent because the leader's term in which it was decided has ended.
 */
public final class TermOverException extends KubernetesClientException {

  @Serial private static final long serialVersionUID = 1;

  TermOverException() {
    super("not sent: this replica is no longer the leader");
  }
}
