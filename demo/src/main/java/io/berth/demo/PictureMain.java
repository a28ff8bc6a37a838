package io.berth.demo;

import io.berth.demo.cluster.Checkout;
import io.berth.demo.picture.PoolMoment;
import io.berth.demo.picture.WhyPicture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** {@code make picture}: draws docs/images/why-this-node.svg from a running Berth. */
public final class PictureMain {

  private PictureMain() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    Path file = Checkout.find().root().resolve("docs/images/why-this-node.svg");
    Files.createDirectories(file.getParent());
    Files.writeString(file, WhyPicture.of(PoolMoment.reach()));
    System.out.println(file);
    System.exit(0);
  }
}
