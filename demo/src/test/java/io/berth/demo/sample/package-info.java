/** The samples do what their READMEs say. */
@NullMarked
package io.berth.demo.sample;

import org.jspecify.annotations.NullMarked;
