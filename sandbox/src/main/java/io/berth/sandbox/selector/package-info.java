/**
 * Label and field selectors, parsed once and matched against what the store keeps beside each
 * object.
 */
@NullMarked
package io.berth.sandbox.selector;

import org.jspecify.annotations.NullMarked;
