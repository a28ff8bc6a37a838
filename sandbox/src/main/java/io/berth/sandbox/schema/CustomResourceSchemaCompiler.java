package io.berth.sandbox.schema;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.failure.FieldError;
import java.util.List;

/** Compiles the schemas of CustomResourceDefinitions. */
public interface CustomResourceSchemaCompiler {

  /**
   * Returns the problems of a version's schema: it is not structural, or a CEL rule does not
   * compile.
   *
   * @param openApiSchema the version's {@code schema.openAPIV3Schema}
   * @param path where it stands in the CustomResourceDefinition, for instance {@code
   *     spec.versions[0].schema.openAPIV3Schema}
   */
  List<FieldError> check(JsonNode openApiSchema, String path);

  /** Compiles a schema that {@link #check} found nothing wrong with. */
  CustomResourceSchema compile(JsonNode openApiSchema);
}
