/**
 * The rules of individual kinds: defaults, resets by create and update strategies, and validation.
 */
@NullMarked
package io.berth.sandbox.kind;

import org.jspecify.annotations.NullMarked;
