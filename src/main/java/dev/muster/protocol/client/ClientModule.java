package dev.muster.protocol.client;

import org.springframework.modulith.NamedInterface;
import org.springframework.modulith.PackageInfo;

/** Opens this package to other modules; see {@code ProtocolModule}. */
@PackageInfo
@NamedInterface("client")
final class ClientModule {}
