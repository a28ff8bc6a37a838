/**
 * The server's resources: built-in ones, and those that CustomResourceDefinitions add while it
 * runs.
 */
@NullMarked
package io.berth.sandbox.resource;

import org.jspecify.annotations.NullMarked;
