/**
 * Who is meant by a selector, and how many of them are where: the counts behind topology spread and
 * inter-pod affinity, kept as pods come and go.
 */
@NullMarked
package io.berth.engine.terms;

import org.jspecify.annotations.NullMarked;
