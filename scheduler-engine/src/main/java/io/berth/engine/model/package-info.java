/**
 * The engine's own picture of Kubernetes objects: immutable values, compiled once at the border,
 * that hold what scheduling reads and nothing else.
 */
@NullMarked
package io.berth.engine.model;

import org.jspecify.annotations.NullMarked;
