import Crypto
import SwiftASN1
import X509
