package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The rules of Namespaces: created in phase Active, labelled with their name, and kept by a
 * finalizer until their content has been deleted.
 */
final class NamespaceRules implements KindRules {

  @Override
  public void prepareForCreate(ObjectNode namespace) {
    namespace.withObjectProperty("spec").putArray("finalizers").add("kubernetes");
    namespace.withObjectProperty("status").put("phase", "Active");
  }

  @Override
  public void applyDefaults(ObjectNode namespace) {
    String name = namespace.path("metadata").path("name").asText();
    if (!name.isEmpty()) {
      namespace
          .withObjectProperty("metadata")
          .withObjectProperty("labels")
          .put("kubernetes.io/metadata.name", name);
    }
  }

  @Override
  public void prepareForUpdate(ObjectNode namespace, ObjectNode old) {
    namespace.set("spec", old.path("spec").deepCopy());
  }

  /** The finalize subresource changes the finalizers in the spec and nothing else. */
  @Override
  public boolean changesSpecThrough(String subresource) {
    return subresource.equals("finalize");
  }

  @Override
  public NameFormat nameFormat() {
    return NameFormat.LABEL;
  }
}
