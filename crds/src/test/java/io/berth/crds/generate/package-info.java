/** Generates the files that follow from the resource types: CRDs, the bundle, the API reference. */
@NullMarked
package io.berth.crds.generate;

import org.jspecify.annotations.NullMarked;
