package io.berth.sandbox.admission;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.auth.Caller;
import io.berth.sandbox.resource.ResourceType;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The request to admission.
 *
 * @param operation what is done
 * @param type the resource that the client named
 * @param subresource empty, or for instance {@code status}, {@code binding}
 * @param namespace empty for cluster-scoped objects
 * @param name empty while generateName has not been resolved
 * @param object the object to be stored; empty for a deletion
 * @param oldObject the object before; empty for a create. Nobody may change it
 * @param options the CreateOptions, UpdateOptions, PatchOptions or DeleteOptions
 * @param caller who asks
 * @param dryRun whether nothing will be stored
 * @param warnings takes texts for the answer's Warning headers
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

  /** The same request with another object. */
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
