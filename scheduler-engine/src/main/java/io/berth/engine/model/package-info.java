/**
 * The engine's representation of Kubernetes objects: immutable values, created when objects are
 * received, with only the data that scheduling reads.
 */
@NullMarked
package io.berth.engine.model;

import org.jspecify.annotations.NullMarked;
