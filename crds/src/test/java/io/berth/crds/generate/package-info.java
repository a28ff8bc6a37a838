/**
 * Generates the files that are derived from the resource types: CRDs, the bundle, and the API
 * reference.
 */
@NullMarked
package io.berth.crds.generate;

import org.jspecify.annotations.NullMarked;
