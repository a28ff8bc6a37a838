package io.berth.sandbox.admission;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.function.Consumer;

/**
 * Everything between decoding and storing: built-in plugins and webhooks, in the real server's
 * order.
 */
public interface AdmissionChain {

  /**
   * Mutating admission: built-in plugins (ServiceAccount, Priority, DefaultTolerationSeconds...),
   * then mutating webhooks with reinvocation. Called for creates and updates, before validation.
   *
   * @param defaults gives what a webhook changed its defaults again, in place, as decoding does
   * @return the object to go on with; may be the request's own, changed in place
   * @throws io.berth.sandbox.failure.ApiException if the request is refused
   */
  ObjectNode mutate(AdmissionRequest request, Consumer<ObjectNode> defaults);

  /**
   * Validating admission, after validation; for deletions and connects it is the only one.
   *
   * @throws io.berth.sandbox.failure.ApiException if the request is refused
   */
  void validate(AdmissionRequest request);
}
