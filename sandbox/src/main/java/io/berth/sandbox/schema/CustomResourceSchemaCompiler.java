package io.berth.sandbox.schema;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.failure.FieldError;
import java.util.List;

/** A compiler of schemas in CustomResourceDefinitions. */
public interface CustomResourceSchemaCompiler {

  /**
   * Checks that a schema is structural and that its CEL rules compile.
   *
   * @param openApiSchema the {@code schema.openAPIV3Schema} of a version
   * @param path path of the schema in the CustomResourceDefinition, for example {@code
   *     spec.versions[0].schema.openAPIV3Schema}
   * @return the errors; empty if the schema is valid
   */
  List<FieldError> check(JsonNode openApiSchema, String path);

  /** Compiles a schema that {@link #check} has found valid. */
  CustomResourceSchema compile(JsonNode openApiSchema);
}
