package io.berth.sandbox.admission;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.auth.Caller;
import io.berth.sandbox.resource.ResourceType;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A request as admission sees it.
 *
 * @param operation the requested operation
 * @param type the resource type that the client addressed
 * @param subresource for example {@code status} or {@code binding}; empty for the object itself
 * @param namespace empty for cluster-scoped objects
 * @param name the object's name; empty until generateName has been resolved
 * @param object the object to be stored; empty for a deletion
 * @param oldObject the existing object; empty for a create. It must not be modified
 * @param options the request's CreateOptions, UpdateOptions, PatchOptions or DeleteOptions
 * @param caller the authenticated client
 * @param dryRun true if the result is not stored
 * @param warnings receives the texts of the response's Warning headers
 */
public record AdmissionRequest(
    Operation operation,
    ResourceType type,
    String subresource,
    String namespace,
    String name,
    Optional<ObjectNode> object,
    Optional<ObjectNode> oldObject,
    ObjectNode options,
    Caller caller,
    boolean dryRun,
    Consumer<String> warnings) {

  /** Returns this request with another object. */
  public AdmissionRequest with(ObjectNode changed) {
    return new AdmissionRequest(
        operation,
        type,
        subresource,
        namespace,
        name,
        Optional.of(changed),
        oldObject,
        options,
        caller,
        dryRun,
        warnings);
  }
}
