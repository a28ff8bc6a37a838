/**
 * Label and field selectors. They are parsed once and matched against the labels and fields that
 * the store extracts from each object.
 */
@NullMarked
package io.berth.sandbox.selector;

import org.jspecify.annotations.NullMarked;
