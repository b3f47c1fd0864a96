import CLibpcap
import Dissection
