/**
 * Structural schemas of custom resources. Extension point: {@link
 * io.berth.sandbox.schema.CustomResourceSchemaCompiler}.
 */
@NullMarked
package io.berth.sandbox.schema;

import org.jspecify.annotations.NullMarked;
