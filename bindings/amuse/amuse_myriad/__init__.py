from .interface import Myriad, MyriadInterface
