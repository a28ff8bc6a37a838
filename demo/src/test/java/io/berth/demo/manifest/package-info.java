/** Manifests against the schemas that an API server holds them against. */
@NullMarked
package io.berth.demo.manifest;

import org.jspecify.annotations.NullMarked;
