/**
 * JSON patches, merge patches, strategic merge patches, and server-side apply. Extension points:
 * {@link io.berth.sandbox.patch.PatchApplier} and {@link io.berth.sandbox.patch.ServerSideApply}.
 */
@NullMarked
package io.berth.sandbox.patch;

import org.jspecify.annotations.NullMarked;
