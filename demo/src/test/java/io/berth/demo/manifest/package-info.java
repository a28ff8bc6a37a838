/** Validation of manifests by the schemas of the CustomResourceDefinitions. */
@NullMarked
package io.berth.demo.manifest;

import org.jspecify.annotations.NullMarked;
