package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.FieldError;
import java.util.ArrayList;
import java.util.List;

/**
 * The rules of Leases: updates must carry a resourceVersion, and an update of a missing Lease
 * creates it.
 */
final class LeaseRules implements KindRules {

  @Override
  public boolean allowsUnconditionalUpdate() {
    return false;
  }

  @Override
  public boolean createsOnUpdate() {
    return true;
  }

  @Override
  public List<FieldError> validateCreate(ObjectNode lease) {
    List<FieldError> errors = new ArrayList<>();
    JsonNode spec = lease.path("spec");
    if (spec.has("leaseDurationSeconds") && spec.path("leaseDurationSeconds").asInt() <= 0) {
      errors.add(
          FieldError.invalid(
              "spec.leaseDurationSeconds",
              spec.path("leaseDurationSeconds").asInt(),
              "must be greater than 0"));
    }
    if (spec.path("leaseTransitions").asInt() < 0) {
      errors.add(
          FieldError.invalid(
              "spec.leaseTransitions",
              spec.path("leaseTransitions").asInt(),
              "must be greater than or equal to 0"));
    }
    return errors;
  }
}
