package io.berth.sandbox.http;

import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.store.StoredObject;
import java.util.Set;

/**
 * The subresources that connect to containers. They are rejected, because containers are simulated.
 */
final class PodStreams {
  private static final Set<String> NAMES = Set.of("attach", "exec", "portforward", "proxy");

  private PodStreams() {}

  static boolean are(String subresource) {
    return NAMES.contains(subresource);
  }

  static ApiException refusal(StoredObject pod, String subresource) {
    String name = pod.key().name();
    boolean bound = !pod.json().path("spec").path("nodeName").asText().isEmpty();
    return Failures.badRequest(
        bound
            ? "the containers of pod "
                + name
                + " are simulated and run nothing: "
                + subresource
                + " needs a real cluster"
            : "pod " + name + " does not have a host assigned");
  }
}
