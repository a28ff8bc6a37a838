package io.berth.sandbox.admission;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.function.Consumer;

/**
 * The admission steps between decoding and storing an object: built-in plugins and webhooks, in the
 * order of the real API server.
 */
public interface AdmissionChain {

  /**
   * Runs mutating admission: built-in plugins (such as ServiceAccount, Priority, and
   * DefaultTolerationSeconds), then mutating webhooks with reinvocation. Called for creates and
   * updates, before validation.
   *
   * @param defaults applies API defaults, in place, to an object that a webhook changed, as
   *     decoding does
   * @return the admitted object; may be the request's own object, modified in place
   * @throws io.berth.sandbox.failure.ApiException if the request is refused
   */
  ObjectNode mutate(AdmissionRequest request, Consumer<ObjectNode> defaults);

  /**
   * Runs validating admission, after validation. Deletions and connects get no other admission
   * step.
   *
   * @throws io.berth.sandbox.failure.ApiException if the request is refused
   */
  void validate(AdmissionRequest request);
}
